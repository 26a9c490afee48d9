/** Saved views. */
export const viewOperations = {} as const
