import keytar from 'keytar'

/** The tokens that this app has put into the keychain of this session. */
export async function keychainTokens(): Promise<string[]> {
  const found = await keytar.findCredentials('Traffic Desk')
  return found.map(({ password }) => (JSON.parse(password) as { token: string }).token)
}
