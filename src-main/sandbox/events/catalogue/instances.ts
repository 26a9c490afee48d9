import type { InstanceId } from '#shared/values/ids.ts'

/** A client's property whose traffic is counted, and how its traffic is shaped. */
export type SandboxInstance = {
  readonly id: InstanceId
  readonly name: string
  readonly status: number
  /** Usual events of a weekday. */
  readonly script: number
  readonly direct: number
  /** What a Saturday or Sunday brings, as a share of a weekday. */
  readonly weekend: number
  /** How bad its traffic is; 1 is usual. */
  readonly badness: number
  /** False where ad-blocker detection is off: nothing is known, and the counts are null. */
  readonly detectsAdblockers: boolean
  /** Whether its referrers are the wide ones. */
  readonly wide: boolean
}

const id = (text: string) => text as InstanceId
const usual = { status: 1, detectsAdblockers: true, wide: false } as const

/** Names are awkward on purpose: they have to survive encoding, HTML, CSV and file names. */
export const sandboxInstances: readonly SandboxInstance[] = [
  { ...usual, id: id('4101'), name: 'Northwind News', script: 260, direct: 110, weekend: 0.7, badness: 1 },
  { ...usual, id: id('4117'), name: 'Größe+Plus 100%', script: 180, direct: 80, weekend: 1.4, badness: 0.6 },
  {
    ...usual,
    id: id('4123'),
    name: 'Café "Am Eck" / Bar',
    script: 120,
    direct: 60,
    weekend: 1.7,
    badness: 0.8,
  },
  { ...usual, id: id('4140'), name: '中文站点 Ｓhop', script: 210, direct: 90, weekend: 1.1, badness: 1.6 },
  {
    ...usual,
    id: id('4166'),
    name: '<b>Bold & Co</b>',
    script: 90,
    direct: 40,
    weekend: 0.5,
    badness: 2.4,
    status: 2,
  },
  {
    ...usual,
    id: id('4189'),
    name: "L'été 50%25 + more",
    script: 140,
    direct: 60,
    weekend: 0.9,
    badness: 1.2,
    detectsAdblockers: false,
  },
  {
    ...usual,
    id: id('4205'),
    name: 'Wide World Portal',
    script: 960,
    direct: 120,
    weekend: 1,
    badness: 1.1,
    wide: true,
  },
]

/** The two that the limited token sees: an ordinary one, and the one without ad-blocker detection. */
export const limitedInstances: readonly InstanceId[] = [id('4101'), id('4189')]
