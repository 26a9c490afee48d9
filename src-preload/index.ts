import { contextBridge, ipcRenderer, webUtils } from 'electron'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { callChannel, dropChannel, eventChannel } from '#shared/bridge/channels.ts'

// Every component of a view has its own listener, so the default limit of 10 does not indicate a leak.
ipcRenderer.setMaxListeners(0)

/** Forwards calls and events unchanged. The main process validates calls; its events are trusted. */
const bridge: DeskBridge = {
  call: (name, ...argument) => ipcRenderer.invoke(callChannel, name, ...argument),
  on: (name, listener) => {
    const forward = (_: unknown, event: string, carried: Parameters<typeof listener>[0]) => {
      if (event === name) listener(carried)
    }
    ipcRenderer.on(eventChannel, forward)
    return () => {
      ipcRenderer.removeListener(eventChannel, forward)
    }
  },
  // A file that the page itself created has no path. Paths of dropped or chosen files are never visible to the page.
  dropped: (files) =>
    ipcRenderer.invoke(
      dropChannel,
      files.map((file) => webUtils.getPathForFile(file)),
    ),
}

contextBridge.exposeInMainWorld('desk', bridge)

// Loads the locale's date and number formats, which is slow, while the page's script is still loading.
setTimeout(() => {
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(0, 0)
  new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 }).format(0)
})
