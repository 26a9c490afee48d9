import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'
import { appId } from './description.mjs'

/** Of Windows' SDK, whose tools make the package; by itself the maker wants the one of the oldest Windows that it is for. */
export const windowsKitVersion = '10.0.26100.0'

/** @param {string} text */
const inXml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * What Windows is told of the app. The identity gives notifications their sender (AppUserModelID) without a shortcut;
 * `traffic-desk:` links are the package's own. Files are written where every other program of this person finds them,
 * not into a folder that goes with the package: removing the app takes no figures away.
 *
 * @param {{ version: string, productName: string, description: string, author: string, publisher: string, arch: string }} app
 *   `version`: three numbers; `publisher`: the subject of the certificate that signs
 */
export const msixManifest = ({ version, productName, description, author, publisher, arch }) =>
  `<?xml version="1.0" encoding="utf-8"?>
<Package
  xmlns="http://schemas.microsoft.com/appx/manifest/foundation/windows10"
  xmlns:uap="http://schemas.microsoft.com/appx/manifest/uap/windows10"
  xmlns:desktop6="http://schemas.microsoft.com/appx/manifest/desktop/windows10/6"
  xmlns:rescap="http://schemas.microsoft.com/appx/manifest/foundation/windows10/restrictedcapabilities"
  IgnorableNamespaces="uap desktop6 rescap">
  <Identity Name="${appId}" ProcessorArchitecture="${arch}" Version="${version}.0" Publisher="${inXml(publisher)}" />
  <Properties>
    <DisplayName>${inXml(productName)}</DisplayName>
    <PublisherDisplayName>${inXml(author)}</PublisherDisplayName>
    <Logo>assets\\150.png</Logo>
    <desktop6:FileSystemWriteVirtualization>disabled</desktop6:FileSystemWriteVirtualization>
    <desktop6:RegistryWriteVirtualization>disabled</desktop6:RegistryWriteVirtualization>
  </Properties>
  <Dependencies>
    <TargetDeviceFamily Name="Windows.Desktop" MinVersion="10.0.19041.0" MaxVersionTested="${windowsKitVersion}" />
  </Dependencies>
  <Resources><Resource Language="en-US" /></Resources>
  <Capabilities>
    <Capability Name="internetClient" />
    <rescap:Capability Name="runFullTrust" />
    <rescap:Capability Name="unvirtualizedResources" />
  </Capabilities>
  <Applications>
    <Application Id="Desk" Executable="app\\${inXml(productName)}.exe" EntryPoint="Windows.FullTrustApplication">
      <uap:VisualElements DisplayName="${inXml(productName)}" Description="${inXml(description)}"
        Square44x44Logo="assets\\44.png" Square150x150Logo="assets\\150.png" BackgroundColor="transparent" />
      <Extensions>
        <uap:Extension Category="windows.protocol"><uap:Protocol Name="traffic-desk" /></uap:Extension>
      </Extensions>
    </Application>
  </Applications>
</Package>
`

/**
 * Writes the manifest and the pictures that it names, as Forge's maker wants them.
 *
 * @param {string} folder
 * @param {Parameters<typeof msixManifest>[0]} app
 */
export async function writeMsixParts(folder, app) {
  const assets = join(folder, 'msix-assets')
  await mkdir(assets, { recursive: true })
  // Windows scales them to the sizes it wants.
  await cp(inCheckout('resources', 'icons', '64.png'), join(assets, '44.png'))
  await cp(inCheckout('resources', 'icons', '256.png'), join(assets, '150.png'))
  const appManifest = join(folder, 'AppxManifest.xml')
  await writeFile(appManifest, msixManifest(app))
  return { appManifest, packageAssets: assets }
}
