/** Whole tables by subject and days. */
export const tableOperations = {} as const
