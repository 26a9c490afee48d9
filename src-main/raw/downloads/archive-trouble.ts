/** An archive that did not arrive as it was sent: fetching it anew may help. */
export class BrokenArchive extends Error {}

/** An archive that is whole and yet nothing to be put on a disk: fetching it anew brings the same. */
export class HostileArchive extends Error {}

/** What was continued is not the same file any more, or cannot be continued. */
export class ChangedFile extends Error {}

/** The thread ended by itself, in the middle of its work; `cause` says of what. What has come is there still. */
export class ThreadEnded extends Error {
  constructor(cause: unknown) {
    super('The thread of archives ended by itself', { cause })
  }
}

/** The server of archives answered with a status that is no archive. */
export class RefusedStatus extends Error {
  readonly status: number
  readonly host: string

  constructor(status: number, host: string) {
    super(`${host} answered ${status}`)
    this.status = status
    this.host = host
  }
}
