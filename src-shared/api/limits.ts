/** The limits of the specification (section Limits). Windows of days are not here: they differ by account. */
export const limits = {
  rowsPerPage: 1000,
  rowsPerPageByDefault: 20,
  sortKeys: 3,
  rawDaysBack: 90,
  rawStandardColumnsAtLeast: 1,
  rawAdditionalColumnsByDefault: 10,
} as const
