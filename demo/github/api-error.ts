import type { JsonObject } from './resources/json.ts'

const documentation = 'https://docs.github.com/rest'

/** A refusal in GitHub's format. */
export class ApiError extends Error {
  readonly status: number
  readonly body: JsonObject
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, more: JsonObject = {}, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.body = { message, ...more, documentation_url: documentation, status: String(status) }
    this.headers = headers
  }
}

export function notFound(): ApiError {
  return new ApiError(404, 'Not Found')
}

export interface FieldError {
  readonly resource: string
  readonly field: string
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom'
  readonly message?: string
}

/** 422 as GitHub says it about single fields. */
export function validationFailed(...errors: readonly FieldError[]): ApiError {
  return new ApiError(422, 'Validation Failed', { errors })
}
