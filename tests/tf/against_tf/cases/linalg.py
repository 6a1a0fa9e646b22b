# tf.linalg: products, diagonals, decompositions, solvers, operators.

tf.matmul([[1., 2.], [3., 4.]], [[5.], [6.]]), tf.matmul([[1, 2]], [[3], [4]]), tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)), transpose_b=True), tf.matmul(tf.ones((2, 3)), tf.ones((2, 4)), transpose_a=True), tf.matmul([[1+1j]], [[2j]], adjoint_a=True), tf.matmul(tf.ones((2, 1, 3)), tf.ones((3, 2))), tf.matmul(tf.ones((0, 3)), tf.ones((3, 2))), tf.matmul(tf.ones((2, 0)), tf.ones((0, 2)))

tf.matmul(tf.ones((2, 1, 2, 3)), tf.ones((4, 3, 2))).shape, tf.matmul(tf.constant([[1, 2]], tf.int64), tf.constant([[3], [4]], tf.int64)), tf.matmul(tf.constant([[1, 2]], tf.int8), tf.constant([[3], [4]], tf.int8), output_type=tf.int32)

[[1., 2.]] @ tf.constant([[3.], [4.]]), tf.constant([[1., 2.]]) @ np.array([[3.], [4.]], np.float32)

tf.linalg.matvec([[1., 2.], [3., 4.]], [5., 6.]), tf.linalg.matvec([[1., 2.], [3., 4.]], [5., 6.], transpose_a=True), tf.linalg.matvec(tf.ones((2, 3, 2)), tf.ones((2, 2)))

tf.tensordot([[1., 2.], [3., 4.]], [[5., 6.], [7., 8.]], 1), tf.tensordot([1., 2.], [3., 4.], axes=1), tf.tensordot([1., 2.], [3., 4.], 0), tf.tensordot(tf.ones((2, 3, 4)), tf.ones((4, 3, 5)), [[1, 2], [1, 0]]), tf.tensordot(tf.ones((2, 3)), tf.ones((2, 3)), axes=[[0, 1], [0, 1]]), tf.tensordot([[1, 2]], [[3], [4]], [1, 0]), tf.tensordot(tf.ones((2, 3)), tf.ones((2, 3)), 2)

tf.einsum("ij,jk->ik", tf.constant([[1., 2.]]), tf.constant([[3.], [4.]])), tf.einsum("ij->ji", tf.constant([[1, 2]])), tf.einsum("ii->", tf.constant([[1., 2.], [3., 4.]])), tf.einsum("...i,i->...", tf.ones((2, 3)), tf.constant([1., 2., 3.])), tf.einsum("bij,bjk->bik", tf.ones((2, 1, 3)), tf.ones((2, 3, 1))), tf.einsum("i,j->ij", tf.ones((2,)), tf.ones((3,))), tf.einsum("ij,jk", tf.ones((1, 2)), tf.ones((2, 1))), tf.einsum("ij->", tf.ones((2, 2))), tf.einsum("bqd,bkd->bqk", tf.ones((1, 2, 3)), tf.ones((1, 4, 3)), optimize="greedy")

tf.linalg.det([[1., 2.], [3., 4.]]), tf.linalg.det(tf.eye(2, batch_shape=[3])), tf.linalg.slogdet([[1., 2.], [3., 4.]]), tf.linalg.logdet([[2., 0.], [0., 3.]]), tf.linalg.trace([[1., 2.], [3., 4.]]), tf.linalg.trace(tf.ones((2, 3, 3))), tf.linalg.inv([[1., 2.], [3., 4.]]), tf.linalg.inv([[1., 2.], [3., 4.]], adjoint=True), tf.linalg.pinv([[1., 2.], [3., 4.], [5., 6.]]), tf.linalg.matrix_rank([[1., 2.], [2., 4.]]), tf.linalg.adjoint([[1+2j, 3.]]), tf.linalg.matrix_transpose([[1., 2.]]), tf.linalg.matrix_transpose([[1+2j]], conjugate=True)

tf.linalg.solve([[2., 0.], [0., 4.]], [[2.], [4.]]), tf.linalg.solve([[1., 2.], [3., 4.]], [[1.], [2.]], adjoint=True), tf.linalg.triangular_solve([[2., 0.], [1., 4.]], [[2.], [4.]]), tf.linalg.triangular_solve([[2., 1.], [0., 4.]], [[2.], [4.]], lower=False), tf.linalg.triangular_solve([[2., 0.], [1., 4.]], [[2.], [4.]], adjoint=True), tf.linalg.lstsq([[1., 1.], [1., 2.], [1., 3.]], [[1.], [2.], [2.]]), tf.linalg.lstsq([[1., 1.], [1., 2.], [1., 3.]], [[1.], [2.], [2.]], l2_regularizer=0.5), tf.linalg.cholesky_solve([[2., 0.], [1., 3.]], [[1.], [2.]])

tf.linalg.cholesky([[4., 2.], [2., 3.]]), tf.linalg.cholesky(tf.constant([[[4., 2.], [2., 3.]]], tf.float64))

q, r = tf.linalg.qr([[1., 2.], [3., 4.], [5., 6.]])
q @ r, tf.abs(r), q.shape, tf.linalg.qr([[1., 2.], [3., 4.], [5., 6.]], full_matrices=True)[0].shape

s, u, v = tf.linalg.svd([[1., 2.], [3., 4.], [5., 6.]])
s, u @ tf.linalg.diag(s) @ tf.transpose(v), u.shape, v.shape, tf.linalg.svd([[1., 2.], [3., 4.]], compute_uv=False), [t.shape for t in tf.linalg.svd(tf.ones((2, 3, 4)), full_matrices=True)]

e, v = tf.linalg.eigh([[2., 1.], [1., 3.]])
e, tf.abs(v), tf.linalg.eigvalsh([[2., 1.], [1., 3.]])

e, v = tf.linalg.eig(tf.constant([[2., 1.], [1., 3.]]))
tf.sort(tf.math.real(e)), e.dtype, tf.sort(tf.math.real(tf.linalg.eigvals(tf.constant([[2., 1.], [1., 3.]]))))

lu, p = tf.linalg.lu([[1., 2.], [3., 4.]])
lu, p, tf.linalg.lu_reconstruct(lu, p), tf.linalg.lu_solve(lu, p, [[1.], [2.]]), tf.linalg.lu_matrix_inverse(lu, p)

tf.linalg.lu(tf.constant([[[0., 2., 1.], [3., 4., 5.], [1., 1., 1.]]]))

tf.linalg.expm([[0., 1.], [0., 0.]]), tf.linalg.sqrtm([[4., 1.], [1., 3.]]), tf.linalg.logm(tf.constant([[1.+0j, 0.5], [0., 2.]]))

tf.linalg.diag([1., 2.]), tf.linalg.diag([[1, 2], [3, 4]]), tf.linalg.diag([1., 2.], k=1), tf.linalg.diag([1, 2], k=-1), tf.linalg.diag([[1, 2, 3], [4, 5, 6]], k=(0, 1)), tf.linalg.diag([1, 2], num_rows=2, num_cols=4, padding_value=9), tf.linalg.diag([[2, 3, 0], [1, 2, 3], [0, 4, 5]], k=(-1, 1), align="LEFT_RIGHT")

tf.linalg.diag_part([[1., 2.], [3., 4.]]), tf.linalg.diag_part([[1, 2, 3], [4, 5, 6]], k=1), tf.linalg.diag_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], k=(-1, 1)), tf.linalg.diag_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], k=(-1, 0), padding_value=-9, align="LEFT_LEFT"), tf.linalg.tensor_diag([1, 2]), tf.linalg.tensor_diag_part([[1, 2], [3, 4]]), tf.linalg.tensor_diag(tf.ones((2, 2))).shape

tf.linalg.set_diag([[1, 2], [3, 4]], [9, 8]), tf.linalg.set_diag([[1, 2, 3], [4, 5, 6]], [9, 8], k=1), tf.linalg.set_diag([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[10, 11], [20, 21]], k=(1, 2), align="LEFT_LEFT") if False else 0, tf.linalg.band_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 0, 1), tf.linalg.band_part([[1, 2], [3, 4]], -1, 0), tf.linalg.band_part(tf.ones((3, 3)), 1, -1)

tf.linalg.cross([1., 0., 0.], [0., 1., 0.]), tf.linalg.l2_normalize([3., 4.]), tf.linalg.global_norm([tf.constant([3.]), tf.constant([4.])]), tf.linalg.eye(2), tf.linalg.norm([3., 4.])

d = tf.constant([[1., 1., 0.], [4., 4., 4.], [0., 1., 1.]])
tf.linalg.tridiagonal_solve(d, tf.constant([1., 2., 3.])), tf.linalg.tridiagonal_matmul(d, tf.constant([[1.], [2.], [3.]]))

tf.linalg.tridiagonal_solve([tf.constant([1., 1.]), tf.constant([4., 4., 4.]), tf.constant([1., 1.])], tf.constant([1., 2., 3.]), diagonals_format="sequence"), tf.linalg.tridiagonal_solve(tf.constant([[4., 1., 0.], [1., 4., 1.], [0., 1., 4.]]), tf.constant([[1.], [2.], [3.]]), diagonals_format="matrix")

tf.linalg.banded_triangular_solve([[2., 3., 4.], [0., 1., 1.]], [[1.], [2.], [3.]], lower=True)

tf.linalg.eigh_tridiagonal([1., 2., 3.], [0.5, 0.5])

tf.linalg.det([[1, 2], [3, 4]])

tf.linalg.det([1., 2.])

tf.linalg.inv([[1, 2], [3, 4]])

tf.linalg.trace([1., 2.])

tf.linalg.cross([1., 2.], [3., 4.])

tf.linalg.diag(5.)

tf.linalg.set_diag([[1, 2], [3, 4]], [1, 2, 3])

tf.linalg.matvec([[1., 2.]], [1., 2., 3.])

tf.linalg.triangular_solve([[1., 2.]], [[1.]])

tf.linalg.svd([1., 2.])

o = tf.linalg.LinearOperatorFullMatrix([[2., 1.], [1., 3.]], is_self_adjoint=True, is_positive_definite=True)
o.matmul([[1.], [2.]]), o.matvec([1., 2.]), o.solve([[1.], [2.]]), o.solvevec([1., 2.]), o.determinant(), o.log_abs_determinant(), o.to_dense(), o.trace(), o.diag_part(), o.shape, o.shape_tensor(), o.is_self_adjoint, o.is_square, o.inverse().to_dense(), o.cholesky().to_dense(), o @ tf.ones((2, 1)), o.adjoint().to_dense(), o.dtype, int(o.range_dimension), int(o.domain_dimension), o.tensor_rank, o.batch_shape

o = tf.linalg.LinearOperatorDiag([2., 4.])
o.matmul([[1.], [2.]]), o.solve([[1.], [2.]]), o.determinant(), o.to_dense(), o.diag_part(), o.log_abs_determinant(), o.inverse().to_dense(), o.matvec([1., 2.]), o.diag

o = tf.linalg.LinearOperatorIdentity(2)
o.matmul([[1.], [2.]]), o.to_dense(), o.determinant(), o.solve([[1.], [2.]]), tf.linalg.LinearOperatorScaledIdentity(2, 3.).to_dense(), tf.linalg.LinearOperatorScaledIdentity(2, 3.).determinant(), tf.linalg.LinearOperatorZeros(2).to_dense()

o = tf.linalg.LinearOperatorLowerTriangular([[2., 9.], [1., 3.]])
o.to_dense(), o.matmul([[1.], [2.]]), o.solve([[1.], [2.]]), o.determinant(), o.matmul([[1.], [2.]], adjoint=True)

a = tf.linalg.LinearOperatorFullMatrix([[1., 2.], [3., 4.]])
b = tf.linalg.LinearOperatorDiag([1., 2.])
tf.linalg.LinearOperatorComposition([a, b]).to_dense(), tf.linalg.LinearOperatorBlockDiag([a, b]).to_dense(), tf.linalg.LinearOperatorKronecker([a, b]).to_dense(), a.matmul(b).to_dense(), tf.linalg.LinearOperatorAdjoint(a).to_dense(), tf.linalg.LinearOperatorInversion(a).to_dense(), tf.linalg.LinearOperatorBlockDiag([a, b]).matmul(tf.ones((4, 1)))

tf.linalg.LinearOperatorHouseholder([0.6, 0.8]).to_dense(), tf.linalg.LinearOperatorToeplitz([1., 2., 3.], [1., 4., 5.]).to_dense(), tf.linalg.LinearOperatorTridiag([[1., 1., 0.], [4., 4., 4.], [0., 1., 1.]]).to_dense(), tf.linalg.LinearOperatorPermutation([1, 0, 2]).to_dense(), tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag([1., 2.]), [[1.], [2.]]).to_dense(), tf.linalg.LinearOperatorCirculant([4., 1., 1.]).to_dense()
