/** The database can't be asked now. The message says where it was looked for and what to do. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
