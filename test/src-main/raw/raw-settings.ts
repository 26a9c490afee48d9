import { usualSettings } from '#shared/app/settings.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import type { RawSettings } from '#shared/raw/settings.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'

/** Settings with these about raw reports, and a folder of downloads. */
export const settingsWith = (
  raw: () => RawSettings | Promise<RawSettings> = () => usualRawSettings,
  folder = '',
): Pick<Settings, 'read' | 'downloadFolder'> => ({
  read: async () => ({ ...usualSettings, raw: await raw() }),
  downloadFolder: async () => folder,
})

/** A machine on which nobody chooses, shows or opens anything. */
export const noShell: Pick<SystemShell, 'chooseFolder' | 'showFile' | 'openFile'> = {
  chooseFolder: async () => null,
  showFile: () => undefined,
  openFile: async () => '',
}

/** Downloads of which there are none. */
export const noDownloads: Pick<Downloads, 'savedState' | 'reportReady'> = {
  savedState: () => 'none',
  reportReady: async () => undefined,
}
