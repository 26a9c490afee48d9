import type { CallArgument, DeskEvents } from '../../src-shared/bridge/calls.ts'
import { notYet } from '../../src-shared/desk/not-yet.ts'
import { usualSettings } from '../../src-shared/desk/settings.ts'
import type { DeskSettings } from '../../src-shared/desk/settings.ts'
import type { ColumnLayout } from '../../src-shared/views/layout.ts'
import type { Store } from '../store/store.ts'

export type SettingsParts = {
  readonly store: Store
  readonly emit: (name: 'settings/changed', event: DeskEvents['settings/changed']) => void
  /** Makes the machine follow: theme, start at login, tray. @throws DeskFailure where it refuses */
  readonly apply: (settings: DeskSettings) => Promise<void>
  /** Lets the person choose a folder. */
  readonly chooseFolder: () => Promise<string | null>
  /** The system's folder of downloads. */
  readonly downloads: () => string
}

/** The settings of the desk, and how the columns of reports are laid out. */
export type DeskSettingsRoom = {
  readonly read: () => Promise<DeskSettings>
  readonly write: (changes: CallArgument<'settings/write'>) => Promise<DeskSettings>
  readonly chooseFolder: () => Promise<DeskSettings | null>
  /** Where files are saved at this moment. */
  readonly downloadFolder: () => Promise<string>
  readonly layout: (report: string) => Promise<ColumnLayout | null>
  readonly writeLayout: (report: string, layout: ColumnLayout | null) => Promise<null>
}

export function createSettings(parts: SettingsParts): DeskSettingsRoom {
  return {
    read: () => Promise.resolve(usualSettings),
    write: notYet,
    chooseFolder: notYet,
    downloadFolder: () => Promise.resolve(parts.downloads()),
    layout: () => Promise.resolve(null),
    writeLayout: () => Promise.resolve(null),
  }
}
