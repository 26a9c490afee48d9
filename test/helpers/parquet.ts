import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

/** Reads a Parquet file with another library: its columns with their types, its rows, and its metadata. */
export async function readParquet(path: string) {
  const file = await asyncBufferFromFile(path)
  const { schema, key_value_metadata: pairs = [] } = await parquetMetadataAsync(file)
  return {
    types: Object.fromEntries(
      schema
        .slice(1)
        .map(({ name, type, converted_type: converted, logical_type: logical }) => [
          name,
          [type, logical?.type ?? converted].filter((each) => each !== undefined).join(' '),
        ]),
    ),
    rows: await parquetReadObjects({ file, compressors }),
    metadata: Object.fromEntries(pairs.map(({ key, value }) => [key, value])),
  }
}
