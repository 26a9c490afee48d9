import type { SessionBus } from './session-bus.ts'

/** What docks and taskbars show on the app's icon. */
export type LauncherFacts = {
  /** A number on it; none where it is 0. */
  readonly count: number
  /** How far what goes on is, from 0 to 1; none outside of that. */
  readonly progress: number
}

export const plainLauncher: LauncherFacts = { count: 0, progress: -1 }

const launcher = {
  path: '/com/canonical/unity/launcherentry/1',
  interface: 'com.canonical.Unity.LauncherEntry',
}
/** As the package names its desktop entry. */
const entry = 'application://traffic-desk.desktop'

/**
 * Tells docks what to show, in the way that those of Ubuntu, Plasma and others listen to (Unity's launcher API). Spoken
 * directly: Electron does so only where a library of Unity is installed.
 */
export function updateLauncher(bus: Pick<SessionBus, 'signal'>, { count, progress }: LauncherFacts): void {
  const isKnown = progress >= 0 && progress <= 1
  const shown = [
    ['count', ['x', count]],
    ['count-visible', ['b', count > 0]],
    ['progress', ['d', isKnown ? progress : 0]],
    ['progress-visible', ['b', isKnown]],
  ]
  bus.signal(launcher, 'Update', 'sa{sv}', [entry, shown])
}
