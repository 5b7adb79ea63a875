import { ApiError } from '../api-error.ts'
import { userJson } from '../resources/account.ts'
import type { Route } from '../route.ts'

export const userRoutes: readonly Route[] = [
  {
    operation: 'users/get-authenticated',
    needs: 'user',
    answer: ({ actor, state }) => {
      if (actor.kind !== 'user') throw new ApiError(401, 'Requires authentication')
      return { status: 200, body: userJson(state, actor.account) }
    },
  },
]
