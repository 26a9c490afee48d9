import type { CaseCluster } from '#shared/cases/case.ts'
import type { Cluster } from '#shared/archives/answers.ts'
import { chanceWords, clusterKindWords, clusterWords } from '#shared/texts/archives.ts'

/** So many clusters stand in a case, the least probable first. */
const max = 30

/** Clusters as a case tells them. */
export const caseClusters = (clusters: readonly Cluster[]): readonly CaseCluster[] =>
  clusters.slice(0, max).map((cluster) => ({
    what: clusterKindWords[cluster.kind],
    value: cluster.value === '' ? '(empty)' : cluster.value,
    rows: cluster.rows,
    bad: cluster.bad,
    words: `${clusterWords(cluster, 'en')}; by chance ${chanceWords(cluster.chance, 'en')}`,
  }))
