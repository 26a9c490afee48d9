import keytar from 'keytar'

/** Forgets what this app has put into it, as the keychain of another computer knows nothing of it. */
export async function emptyKeychain(): Promise<void> {
  for (const { account } of await keytar.findCredentials('Traffic Desk'))
    await keytar.deletePassword('Traffic Desk', account)
}

/** The tokens that this app has put into the keychain of this session. */
export async function keychainTokens(): Promise<string[]> {
  const found = await keytar.findCredentials('Traffic Desk')
  return found.map(({ password }) => (JSON.parse(password) as { token: string }).token)
}
