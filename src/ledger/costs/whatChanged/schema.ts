import { Type } from 'typebox';
import { sampleText, words } from '../../../platform/http/schemas.ts';
import { namesInEvents } from './words.ts';

export const sentenceOfEvent = {
  sentence: sampleText(
    'Nov 10–12 cost $1,190.00 more: 9 new macOS 3-core jobs of CI in acme/mobile, from pull request 482. Back to normal since Nov 13.',
  ),
  sentence_parts: Type.Array(
    Type.Object({
      text: sampleText('CI'),
      of: Type.Union([words(namesInEvents), Type.Null()], { description: 'set if the text is a name' }),
    }),
    { description: '`sentence` in parts, so that you can link its names' },
  ),
};
