/** The channel on which windows make calls: the call's name, then its argument. */
export const callChannel = 'desk/call'

/** The channel on which the preload alone says where dropped files lie; the answer is an id for each. No page can send on it. */
export const dropChannel = 'desk/drop'

/** The channel on which windows are told of events: the event's name, then what it carries. */
export const eventChannel = 'desk/event'
