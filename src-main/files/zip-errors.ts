/** The archive was damaged in transit. Fetching it again may help. */
export class BrokenArchive extends Error {}

/** The archive is intact, but must not be saved. Fetching it again would not help. */
export class HostileArchive extends Error {}
