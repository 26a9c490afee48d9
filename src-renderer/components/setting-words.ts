import type { BackupMade } from '#shared/app/backup.ts'
import type { Density, FormatTag, Theme } from '#shared/app/settings.ts'

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
export function backUpWords({ file, leftOut }: BackupMade): string {
  const saved = `Saved as “${file}” in your downloads.`
  if (leftOut === 0) return saved
  return `${saved} ${leftOut === 1 ? 'One file' : `${leftOut} files`} of saved figures could not be copied.`
}
