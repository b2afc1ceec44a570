// The two meanings of mouthClose. Apple's brings the lips together and leaves the jaw to jawOpen.
// ACE's, which is that of the streams, has the opening of the jaw in it: ACE's mouthClose is Apple's
// plus jawOpen. So in a stream's weights jawOpen is how far the lips are apart, and the jaw is down
// by both.

// Apple's jawOpen of ACE's weights; mouthClose is the same for both. Nothing is clamped.
export const arkitJawOpen = (jawOpen, mouthClose) => jawOpen + mouthClose;

// What a simple face shows of ACE's weights: how far the jaw is down, and the lips apart.
export function mouthOf(weight) {
  const apart = weight("jawOpen");
  return { jaw: Math.max(0, arkitJawOpen(apart, weight("mouthClose"))), apart: Math.max(0, apart) };
}

// Of the points that jawOpen moves most this share is moved by the lips too.
const LIPS = 0.8;

// Whether a mesh's mouthClose is ACE's, by what the points do that the jaw takes along: with Apple's
// the chin stays and the lower lip goes up, with ACE's the chin goes as far down as with jawOpen.
// `pairs` are [jawOpen, mouthClose] of a mesh each, as three.js's attributes of offsets.
export function isAceMouth(pairs) {
  const shares = [];
  for (const [open, close] of pairs) {
    const length = (i) => open.getX(i) ** 2 + open.getY(i) ** 2 + open.getZ(i) ** 2;
    let most = 0;
    for (let i = 0; i < open.count; ++i) most = Math.max(most, length(i));
    for (let i = 0; i < open.count; ++i) {
      const square = length(i);
      if (square === 0 || square < most / 4) continue;
      shares.push((open.getX(i) * close.getX(i) + open.getY(i) * close.getY(i) +
        open.getZ(i) * close.getZ(i)) / square);
    }
  }
  shares.sort((a, b) => a - b);
  return shares.length > 0 && shares[Math.floor(LIPS * shares.length)] > 0.5;
}
