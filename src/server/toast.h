/*
 * toast.h
 *	  Compression of values that go to a temporary file or through a queue.
 */
#ifndef SM_TOAST_H
#define SM_TOAST_H

/*
 * Compress a value as TOAST would, if the server has LZ4 and the value gets
 * smaller; else return it unchanged.  Readers of the value see no difference.
 * A table keeps the compressed value, whatever COMPRESSION and STORAGE of its
 * column say.
 *
 * A document shrinks to about a tenth.  Compressing it takes less time than
 * writing and reading the other nine tenths.
 */
extern struct varlena *sm_toast_compress(struct varlena *value);

#endif
