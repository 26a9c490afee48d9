/** How the PDFs of whoever sends them look. */
export type Brand = {
  /** Of lines and of the title's edge, as `#1a56b0`; null for the app's own. */
  readonly colour: string | null
  /** A PNG or JPEG as a data URL; null for none. */
  readonly logo: string | null
}

export const noBrand: Brand = { colour: null, logo: null }

/** A logo is as large as this at most: in bytes, and in pixels each way. */
export const logoLimits = { bytes: 500_000, pixels: 4000 } as const
