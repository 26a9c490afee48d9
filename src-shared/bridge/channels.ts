/** IPC channel for calls: the call's name and argument. */
export const callChannel = 'desk/call'

/** IPC channel for the paths of dropped files, with an id per file as reply. Only the preload script can send on it. */
export const dropChannel = 'desk/drop'

/** IPC channel for events: the event's name and data. */
export const eventChannel = 'desk/event'
