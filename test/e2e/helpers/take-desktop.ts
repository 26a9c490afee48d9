import * as v from 'valibot'

const desktops = v.parse(
  v.array(v.record(v.string(), v.string())),
  JSON.parse(process.env['TRAFFIC_DESK_DESKTOPS'] ?? '[]'),
)
delete process.env['TRAFFIC_DESK_DESKTOPS']

// Files run side by side, each on the screen, the bus, the keyring and in the folders of its worker.
Object.assign(process.env, desktops[Number(process.env['VITEST_POOL_ID']) - 1])
