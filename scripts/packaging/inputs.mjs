/**
 * What a release needs beside the sources, by the names of environment variables (docs/releasing.md says where each comes
 * from). What is for signing stays out of the repository, of arguments and of what is said.
 *
 * @type {Readonly<Record<import('./native-modules.mjs').Target['platform'], readonly string[]>>}
 */
export const releaseInputs = {
  linux: ['APPIMAGE_RUNTIME', 'APPIMAGE_RUNTIME_SHA256'],
  win32: ['WINDOWS_CERTIFICATE_FILE', 'WINDOWS_CERTIFICATE_PASSWORD', 'WINDOWS_PUBLISHER'],
  darwin: ['MACOS_SIGNING_IDENTITY', 'APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
}

/**
 * @typedef {Readonly<Record<string, string | undefined>>} Environment
 */

/**
 * The inputs that a platform lacks.
 *
 * @param {keyof typeof releaseInputs} platform
 * @param {Environment} environment
 */
export const missingInputs = (platform, environment) =>
  releaseInputs[platform].filter((name) => !environment[name])

/**
 * Why no release should be made; undefined where one may.
 *
 * @param {keyof typeof releaseInputs} platform
 * @param {Environment} environment
 * @param {{ kind: 'official' | 'fallback', commit: string | null }} made
 */
export function releaseFault(platform, environment, { kind, commit }) {
  if (kind === 'fallback') return 'A release is made with the official Electron alone.'
  if (commit === null || commit.endsWith('+'))
    return 'A release is made of a commit, with nothing changed since.'
  const missing = missingInputs(platform, environment)
  return missing.length === 0 ? undefined : `A release needs these inputs: ${missing.join(', ')}.`
}

/**
 * How the packager signs. Without all inputs it does not sign at all, and the files' names say so: half a signature would
 * look like one.
 *
 * @param {keyof typeof releaseInputs} platform
 * @param {Environment} environment
 * @returns {Pick<import('@electron-forge/shared-types').ForgePackagerOptions, 'osxSign' | 'osxNotarize' | 'windowsSign'>}
 */
export function signingOptions(platform, environment) {
  if (platform === 'linux' || missingInputs(platform, environment).length > 0) return {}
  const given = (/** @type {string} */ name) => environment[name] ?? ''
  if (platform === 'win32') return { windowsSign: windowsSigning(environment) }
  return {
    osxSign: {
      identity: given('MACOS_SIGNING_IDENTITY'),
      // Otherwise a signature that failed is a warning, and what is not signed goes on.
      continueOnError: false,
      optionsForFile: () => ({
        hardenedRuntime: true,
        // Chromium compiles scripts as they run. Nothing else is let off.
        entitlements: ['com.apple.security.cs.allow-jit'],
      }),
    },
    osxNotarize: {
      appleApiKey: given('APPLE_API_KEY'),
      appleApiKeyId: given('APPLE_API_KEY_ID'),
      appleApiIssuer: given('APPLE_API_ISSUER'),
    },
  }
}

/** @param {Environment} environment */
export const windowsSigning = (environment) => ({
  certificateFile: environment['WINDOWS_CERTIFICATE_FILE'] ?? '',
  certificatePassword: environment['WINDOWS_CERTIFICATE_PASSWORD'] ?? '',
})
