/**
 * What identifies the same failure again.
 *
 * `stack-trace-id`: `2508-38c6`, stated in the test's name or computed from the frames of its output.
 * `output`: the first failing lines, normalised. `name`: no output to tell by; `text` is empty.
 */
export interface Signature {
  readonly kind: 'stack-trace-id' | 'output' | 'name'
  readonly text: string
}
