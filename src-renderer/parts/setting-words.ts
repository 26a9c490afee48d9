import type { CallOutcome } from '../../src-shared/bridge/calls.ts'
import type { Density, FormatTag, Theme } from '../../src-shared/desk/settings.ts'

export const themeWords: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
}

export const densityWords: Readonly<Record<Density, string>> = {
  comfortable: 'Comfortable',
  compact: 'Compact',
}

export const formatWords: Readonly<Record<FormatTag, string>> = {
  system: 'As the system',
  'en-GB': 'English (United Kingdom)',
  'en-US': 'English (United States)',
  'de-DE': 'German',
  'fr-FR': 'French',
  'es-ES': 'Spanish',
  'sv-SE': 'Swedish',
  'ja-JP': 'Japanese',
}

/** What came of a backup. */
export const backUpWords = (outcome: CallOutcome<'desk/back-up'>): string =>
  outcome.ok ? `Saved as “${outcome.value.file}” in your downloads.` : outcome.failure.message
