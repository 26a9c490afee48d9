import connect from 'undici/lib/api/api-connect.js'
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'

/**
 * What of undici is used here, and nothing else: all of it is a megabyte of source, which stays in memory for as long as
 * the app runs. Its own entry does the same with these two, and with what we never call.
 */
Object.assign(Dispatcher.prototype, { request, connect })

export { Agent, ProxyAgent }
