import type { CommandLine } from 'electron'

/**
 * Has Chromium do its network in the main process, where it otherwise starts a process of 17 MB for it, which stays when
 * the window is closed. The browser has nothing to fetch: its pages come from the app's folder, everything else is refused
 * (`guards`), and the service is asked without it. On Linux that process has no sandbox to lose by default; elsewhere
 * it may have one, and stays. Has to happen before Electron is ready.
 */
export function keepBrowserLean(
  commandLine: Pick<CommandLine, 'appendSwitch'>,
  platform: NodeJS.Platform,
): void {
  if (platform === 'linux') commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
}
