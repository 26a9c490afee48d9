import * as v from 'valibot'

const environments = v.array(v.record(v.string(), v.string()))
const desktops = v.parse(environments, JSON.parse(process.env['TRAFFIC_DESK_DESKTOPS'] ?? '[]'))

// Files run side by side, each on the screen, the bus, the keyring and in the folders of its worker.
const mine = desktops[Number(process.env['VITEST_POOL_ID']) - 1]
if (!mine) throw new Error('Run this by `npm run test:e2e`, which makes a desktop for each worker.')
Object.assign(process.env, mine)
