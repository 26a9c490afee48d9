/** The channel on which windows make calls: the call's name, then its argument. */
export const callChannel = 'desk/call'

/** The channel on which windows are told of events: the event's name, then what it carries. */
export const eventChannel = 'desk/event'
