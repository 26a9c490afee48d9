import { contextBridge, ipcRenderer, webUtils } from 'electron'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { callChannel, dropChannel, eventChannel } from '#shared/bridge/channels.ts'

// Each part of a view listens for itself: more than ten at once are no leak.
ipcRenderer.setMaxListeners(0)

/** What was asked for by name is delivered as it came: the main process checks calls, and is trusted with events. */
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
  // A file that a page made itself has no path; one that was dropped or chosen has its own, which the page never sees.
  dropped: (files) =>
    ipcRenderer.invoke(
      dropChannel,
      files.map((file) => webUtils.getPathForFile(file)),
    ),
}

contextBridge.exposeInMainWorld('desk', bridge)

// The locale's dates and numbers are slow to load, and every view writes some: this is done while the page's own script is
// still on its way.
setTimeout(() => {
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(0, 0)
  new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 }).format(0)
})
