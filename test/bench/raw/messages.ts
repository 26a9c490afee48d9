/** What the service with large archives says. */
export type FromLargeService =
  | { readonly as: 'ready'; readonly address: string; readonly size: number }
  /** Somebody asks where an archive lies, and waits. */
  | { readonly as: 'asked' }

/** Tells it to answer whoever waits. */
export type ToLargeService = 'answer'
