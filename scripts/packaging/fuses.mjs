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

/**
 * @param {string} executable
 * @param {NodeJS.Platform} platform what the program is for
 */
export async function setFuses(executable, platform) {
  // A Mac with Apple's processor runs nothing whose signature does not fit its bytes, not even for a try without signing.
  const resetAdHocDarwinSignature = platform === 'darwin' && process.platform === 'darwin'
  await flipFuses(executable, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature,
    ...wantedFuses(platform),
  })
}

/**
 * The fuses of a program that stand otherwise than they should, read from its file.
 *
 * @param {string} executable
 * @param {NodeJS.Platform} [platform] what the program is for
 * @returns {Promise<readonly string[]>} their names; empty where all is well
 */
export async function fuseFaults(executable, platform = process.platform) {
  const wire = await getCurrentFuseWire(executable)
  return Object.entries(wantedFuses(platform)).flatMap(([fuse, on]) => {
    const stands = wire[/** @type {FuseV1Options} */ (Number(fuse))]
    const wanted = on ? FuseState.ENABLE : FuseState.DISABLE
    return stands === wanted ? [] : [FuseV1Options[Number(fuse)] ?? fuse]
  })
}
