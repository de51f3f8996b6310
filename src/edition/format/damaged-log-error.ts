// Bytes of the edition log that are not what was written.

/** The log cannot deliver this record; the next `catchUp` rebuilds the log from the database. Answer 503 meanwhile. */
export class DamagedLogError extends Error {
  constructor(detail: string) {
    super(`The edition log is damaged (${detail}) and will be rebuilt from the database.`)
    this.name = 'DamagedLogError'
  }
}
