/** `web`: takes webhooks and shows pages. `worker`: works off what is due. `all`: both. */
export const ROLES = ['all', 'web', 'worker'] as const
export type Role = (typeof ROLES)[number]
