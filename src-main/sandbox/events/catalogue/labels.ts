/** Where an event has no such value. An ordinary row everywhere; raw rows leave it empty. */
export const UNDEFINED = '(undefined)'

/** Where the service could not tell. An ordinary row everywhere. */
export const NON_IDENTIFIABLE = '(non-identifiable)'

/** Labels that the service sends as they are, although they are no valid URL encoding (field notes: values, broken escapes). */
export const sentUnencoded: ReadonlySet<string> = new Set(['Dolphin%zz/12', 'UC%Browser', 'Silk-100%'])

/** Id and name of the aggregate of all instances; the aggregates of the other look-ups. */
export const ALL_INSTANCES = 'All Instances'
export const ALL_SOURCES = 'All Sources'
export const ALL_CAMPAIGNS = 'All Campaigns'
