import { flipFuses, FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses'

/**
 * How the fuses of an installed app stand. Asar integrity works on macOS and Windows alone.
 *
 * @param {NodeJS.Platform} platform
 */
export const wantedFuses = (platform) => ({
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: platform !== 'linux',
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
})

/** @param {string} executable */
export async function setFuses(executable) {
  await flipFuses(executable, { version: FuseVersion.V1, ...wantedFuses(process.platform) })
}

/**
 * The fuses of a program that stand otherwise than they should, read from its file.
 *
 * @param {string} executable
 * @returns {Promise<readonly string[]>} their names; empty where all is well
 */
export async function fuseFaults(executable) {
  const wire = await getCurrentFuseWire(executable)
  return Object.entries(wantedFuses(process.platform)).flatMap(([fuse, on]) => {
    const stands = wire[/** @type {FuseV1Options} */ (Number(fuse))]
    const wanted = on ? FuseState.ENABLE : FuseState.DISABLE
    return stands === wanted ? [] : [FuseV1Options[Number(fuse)] ?? fuse]
  })
}
