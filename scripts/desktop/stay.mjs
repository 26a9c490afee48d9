/**
 * Holds a desktop for its starter (side-by-side.mjs): says its environment, as a line of JSON, to the socket that it is
 * given, and stays until that is closed.
 *
 *     stay.mjs <path of a socket>
 */
import { once } from 'node:events'
import { connect } from 'node:net'

const starter = connect(process.argv[2] ?? '')
starter.write(`${JSON.stringify(process.env)}\n`)
await once(starter.resume(), 'close')
