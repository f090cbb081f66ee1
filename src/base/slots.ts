const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The slot of a key with this hash tag in Redis Cluster: its CRC16 (XMODEM), reduced to the slots. */
export function slotOf(hashTag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0)) & 0xffff;
  }
  return crc % SLOTS;
}
