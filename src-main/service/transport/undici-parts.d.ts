/** Parts of undici by themselves (its package lets each of its files be loaded). */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import { ProxyAgent } from 'undici'
  export default ProxyAgent
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici'
  export default Dispatcher
}
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'
  const request: Dispatcher['request']
  export default request
}
declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici'
  const connect: Dispatcher['connect']
  export default connect
}
