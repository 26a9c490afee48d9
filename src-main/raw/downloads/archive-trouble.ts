/** An archive that did not arrive as it was sent: fetching it anew may help. */
export class BrokenArchive extends Error {}

/** An archive that is whole and yet nothing to be put on a disk: fetching it anew brings the same. */
export class HostileArchive extends Error {}
