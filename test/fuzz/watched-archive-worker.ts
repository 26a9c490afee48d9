import { BroadcastChannel } from 'node:worker_threads'
import { appThread } from '../helpers/app-threads.ts'
import { connectionsChannel, followConnections } from './connections.ts'

/** The thread of archives, which opens connections of its own: it tells of each. */
const channel = new BroadcastChannel(connectionsChannel)
channel.unref()
followConnections((place) => channel.postMessage(place))
await import(appThread('archive').href)
