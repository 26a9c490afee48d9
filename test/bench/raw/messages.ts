/** What the service with large archives says. */
export type FromLargeService =
  | { readonly kind: 'ready'; readonly address: string; readonly size: number }
  /** Somebody asks where an archive lies, and waits. */
  | { readonly kind: 'asked' }

/** Tells it to answer whoever waits. */
export type ToLargeService = 'answer'
