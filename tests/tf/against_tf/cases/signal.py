# Spectra, frames and windows, as the audio tutorials use them.

x = tf.constant([1 + 2j, 3 - 1j, 0.5j, 2.0], tf.complex64)
tf.signal.fft(x), tf.signal.ifft(x), tf.signal.fft(tf.cast(x, tf.complex128))

x = tf.constant([[1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 0.0, -1.0, 0.5]])
tf.signal.rfft(x), tf.signal.rfft(x, fft_length=[8]), tf.signal.rfft(x, [4]), tf.signal.rfft(tf.cast(x, tf.float64))

x = tf.constant([[1.0, 2.0, 3.0, 4.0]])
tf.signal.irfft(tf.signal.rfft(x)), tf.signal.irfft(tf.signal.rfft(x), fft_length=[6]), tf.signal.irfft(tf.signal.rfft(x), [5])

x = tf.reshape(tf.cast(tf.range(24), tf.complex64), (2, 3, 4))
tf.signal.fft2d(x), tf.signal.ifft2d(x), tf.signal.fft3d(x), tf.signal.ifft3d(x)

x = tf.reshape(tf.cast(tf.range(24), tf.float32), (2, 3, 4))
tf.signal.rfft2d(x), tf.signal.irfft2d(tf.signal.rfft2d(x)), tf.signal.rfft3d(x), tf.signal.irfft3d(tf.signal.rfft3d(x)), tf.signal.rfft2d(x, [4, 6])

x = tf.range(6, dtype=tf.float32)
tf.signal.fftshift(x), tf.signal.ifftshift(x), tf.signal.fftshift(tf.reshape(x, (2, 3))), tf.signal.fftshift(tf.reshape(x, (2, 3)), axes=1), tf.signal.ifftshift(tf.reshape(x, (2, 3)), axes=[0])

tf.signal.fft(tf.constant([1.0, 2.0]))

tf.signal.rfft(tf.constant([1, 2]))

tf.signal.frame(tf.range(10), 4, 2), tf.signal.frame(tf.range(10), 4, 3, pad_end=True), tf.signal.frame(tf.range(10), 4, 3, pad_end=True, pad_value=-1)

x = tf.reshape(tf.range(20, dtype=tf.float32), (2, 10))
tf.signal.frame(x, 3, 2), tf.signal.frame(x, frame_length=3, frame_step=5, pad_end=True, axis=-1), tf.signal.frame(x, 1, 1, axis=0), tf.signal.frame(x, 20, 1)

x = tf.reshape(tf.range(24, dtype=tf.float32), (2, 4, 3))
tf.signal.overlap_and_add(x, 2), tf.signal.overlap_and_add(x, 3), tf.signal.overlap_and_add(x, 1), tf.signal.overlap_and_add(x[0], 5)

tf.signal.hann_window(8), tf.signal.hann_window(7), tf.signal.hann_window(8, periodic=False), tf.signal.hann_window(1), tf.signal.hann_window(6, dtype=tf.float64)

tf.signal.hamming_window(8), tf.signal.hamming_window(7), tf.signal.hamming_window(7, periodic=False), tf.signal.hamming_window(1)

tf.signal.kaiser_window(8), tf.signal.kaiser_window(7, beta=4.0), tf.signal.kaiser_window(1), tf.signal.kaiser_bessel_derived_window(8), tf.signal.vorbis_window(8)

tf.signal.hann_window(8, True, tf.int32)

# loose
x = tf.sin(tf.linspace(0.0, 30.0, 100))
s = tf.signal.stft(x, frame_length=16, frame_step=8)
s, s.shape, tf.abs(s)

# loose
x = tf.sin(tf.linspace(0.0, 30.0, 100))
tf.signal.stft(x, frame_length=15, frame_step=8), tf.signal.stft(x, frame_length=15, frame_step=8, fft_length=32), tf.signal.stft(x, 16, 8, pad_end=True), tf.signal.stft(x, 16, 8, window_fn=None), tf.signal.stft(x, 16, 8, window_fn=tf.signal.hamming_window), tf.signal.stft(tf.stack([x, x * 2]), 16, 4)

# loose
x = tf.sin(tf.linspace(0.0, 30.0, 100))
s = tf.signal.stft(x, 16, 8)
tf.signal.inverse_stft(s, 16, 8), tf.signal.inverse_stft(s, 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8))

# loose
x = tf.sin(tf.linspace(0.0, 30.0, 100))
s = tf.signal.stft(x, 16, 4, fft_length=32)
tf.signal.inverse_stft(s, 16, 4, fft_length=32, window_fn=tf.signal.inverse_stft_window_fn(4, forward_window_fn=tf.signal.hann_window))

# loose
x = tf.sin(tf.linspace(0.0, 30.0, 100))
s = tf.signal.stft(x, 12, 6, window_fn=None)
tf.signal.inverse_stft(s, 12, 6, window_fn=None)

x = tf.constant([[1.0, 2.0, 3.0, 4.0, 5.0]])
[tf.signal.dct(x, type=t) for t in (1, 2, 3)], tf.signal.dct(x, norm='ortho'), tf.signal.dct(x, type=3, norm='ortho'), tf.signal.dct(x, n=3), tf.signal.dct(x, n=8)

x = tf.constant([[1.0, 2.0, 3.0, 4.0]])
[tf.signal.idct(x, type=t) for t in (1, 2, 3)], tf.signal.idct(tf.signal.dct(x, norm='ortho'), norm='ortho'), tf.signal.dct(x, type=4), tf.signal.idct(x, type=4), tf.signal.dct(x, type=4, norm='ortho')

tf.signal.dct(tf.constant([1.0]), type=1)

tf.signal.dct(tf.constant([1.0, 2.0]), type=5)

tf.signal.dct(tf.constant([1.0, 2.0, 3.0]), type=1, norm='ortho')

# loose
m = tf.signal.linear_to_mel_weight_matrix()
m.shape, m

# loose
tf.signal.linear_to_mel_weight_matrix(num_mel_bins=10, num_spectrogram_bins=65, sample_rate=16000, lower_edge_hertz=80.0, upper_edge_hertz=7600.0), tf.signal.linear_to_mel_weight_matrix(5, 33, dtype=tf.float64)

tf.signal.linear_to_mel_weight_matrix(num_mel_bins=0)

# loose
tf.signal.linear_to_mel_weight_matrix(10, 65, 8000, 100.0, 50.0)

# loose
tf.signal.linear_to_mel_weight_matrix(10, 65, 8000, 100.0, 5000.0)

# loose
x = tf.math.log(tf.reshape(tf.range(1, 25, dtype=tf.float32), (2, 12)))
tf.signal.mfccs_from_log_mel_spectrograms(x), tf.signal.mfccs_from_log_mel_spectrograms(x)[..., :5]

# loose
# The audio tutorial's spectrogram and the MFCC example.
waveform = tf.sin(tf.linspace(0.0, 500.0, 1600))
spectrogram = tf.abs(tf.signal.stft(waveform, frame_length=255, frame_step=128))
spectrogram = spectrogram[..., tf.newaxis]
spectrogram.shape, spectrogram[:2, :6]

# loose
pcm = np.random.RandomState(0).randn(2, 2000).astype('float32')
stfts = tf.signal.stft(pcm, frame_length=256, frame_step=128, fft_length=256)
spectrograms = tf.abs(stfts)
w = tf.signal.linear_to_mel_weight_matrix(20, stfts.shape[-1], 16000.0, 80.0, 7600.0)
mel = tf.tensordot(spectrograms, w, 1)
mel.set_shape(spectrograms.shape[:-1].concatenate(w.shape[-1:]))
tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(mel + 1e-2))[..., :13]

# loose
x = tf.Variable(tf.sin(tf.linspace(0.0, 10.0, 32)))
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.abs(tf.signal.stft(x, 8, 4)) ** 2)
t.gradient(y, x)

# loose
f = tf.function(lambda x: tf.abs(tf.signal.stft(x, 8, 4)))
x = tf.sin(tf.linspace(0.0, 10.0, 32))
f(x) - tf.abs(tf.signal.stft(x, 8, 4)), f(x * 2.0)

# loose
x = tf.sin(tf.linspace(0.0, 30.0, 64))
tf.signal.mdct(x, 16), tf.signal.inverse_mdct(tf.signal.mdct(x, 16))
