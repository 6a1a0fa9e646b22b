"""Between Keras 3 and our tensors. In: the Keras of this process. Out: the same Keras, at home in `milepost.tf`."""
