import { limits } from '../api/limits.ts'
import { announcementKinds } from './announcements.ts'
import type { AnnouncementKind } from './announcements.ts'

/** Which reports are saved without being asked for. */
export const savingRules = ['all', 'templates', 'none'] as const
export type SavingRule = (typeof savingRules)[number]

/** What may stand in a pattern of file names, in braces. */
export const patternParts = ['account', 'name', 'start', 'end', 'type', 'instance'] as const

/** The settings about raw reports and their files, for all accounts. */
export type RawSettings = {
  readonly announce: Readonly<Record<AnnouncementKind, boolean>>
  readonly saving: SavingRule
  /** Such as `{account} {name} {start} to {end}`; the ending is the archive's. */
  readonly fileNames: string
  /** Whether the CSV is put beside its archive. */
  readonly unpack: boolean
  /** Thousand bytes a second over all downloads; null for as fast as it goes. */
  readonly bandwidth: number | null
  /** How many additional columns there are to choose from (specification: limits, additional data columns). */
  readonly additionalColumns: number
}

export const usualRawSettings: RawSettings = {
  announce: Object.fromEntries(announcementKinds.map((kind) => [kind, true])) as RawSettings['announce'],
  saving: 'all',
  fileNames: '{account} {name} {start} to {end} {type}',
  unpack: false,
  bandwidth: null,
  additionalColumns: limits.rawAdditionalColumnsByDefault,
}
