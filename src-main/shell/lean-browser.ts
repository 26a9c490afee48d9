import { existsSync } from 'node:fs'
import type { CommandLine } from 'electron'

/** By one of these Linux gives programs its graphics card: the kernel's own way, NVIDIA's, and that of Windows around it. */
const graphicsCards = ['/dev/dri', '/dev/nvidia0', '/dev/dxg']

/**
 * Leaves out of Chromium on Linux what the app has no use for, and what would stay when the window is closed. Has to
 * happen before Electron is ready.
 *
 * - Its network is done in the main process, instead of in one of 17 MB of its own. The browser has nothing to fetch:
 *   its pages come from the app's folder, everything else is refused (`guards`), and the service is asked without it. On
 *   Linux that process has no sandbox to lose by default; elsewhere it may have one, and stays.
 * - Where there is no graphics card Chromium draws by itself in any case, but first loads a card made of software, of
 *   10 MB, for pages with 3D. No page of ours has any.
 */
export function keepBrowserLean(
  commandLine: Pick<CommandLine, 'appendSwitch'>,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean = existsSync,
): void {
  if (platform !== 'linux') return
  commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
  if (graphicsCards.some(exists)) return
  commandLine.appendSwitch('disable-gpu')
  commandLine.appendSwitch('disable-software-rasterizer')
}
