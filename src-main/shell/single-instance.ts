import type { App } from 'electron'

/**
 * One desk per profile folder: the lock lies in it.
 *
 * @param show brings the window of the desk that runs to the front, when another is started; it hears the other's arguments
 * @returns whether this is the only one; where not, it has to end, and the other one has been told
 */
export function holdSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  show: (args: readonly string[]) => void,
): boolean {
  if (!app.requestSingleInstanceLock()) return false
  app.on('second-instance', (_, args) => {
    show(args)
  })
  return true
}
